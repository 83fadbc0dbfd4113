<?php

// The NameID is computed of uid, the entity ids and the secret.
$metadata[getenv('IDENTITY_URL') . '/metadata'] = [
    'host' => '__DEFAULT__',
    'auth' => 'people',
    'privatekey' => 'provider.key',
    'certificate' => 'provider.pem',
    'signature.algorithm' => 'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256',
    'authproc' => [
        1 => ['class' => 'saml:PersistentNameID', 'attribute' => 'uid'],
    ],
];
