<?php

// An identity provider for tests. The environment has its address, its secret and the directory of its files.
$data = getenv('IDENTITY_DATA');
$config = [
    'baseurlpath' => getenv('IDENTITY_URL') . '/',
    'certdir' => $data . '/',
    'loggingdir' => $data . '/',
    'datadir' => $data . '/',
    'tempdir' => $data . '/temporary',
    'metadatadir' => __DIR__ . '/metadata/',
    'metadata.sources' => [
        ['type' => 'flatfile'],
        ['type' => 'xml', 'file' => $data . '/service.xml'],
    ],
    'secretsalt' => getenv('IDENTITY_SECRET'),
    'auth.adminpassword' => getenv('IDENTITY_SECRET'),
    'technicalcontact_name' => 'Tests',
    'technicalcontact_email' => 'tests@id.example',
    'timezone' => 'UTC',
    'logging.handler' => 'errorlog',
    'logging.level' => \SimpleSAML\Logger::WARNING,
    'enable.saml20-idp' => true,
    'module.enable' => ['exampleauth' => true, 'core' => true, 'saml' => true],
    'session.cookie.secure' => false,
    'session.cookie.samesite' => null,
    'language.cookie.secure' => false,
    'language.cookie.samesite' => null,
    'store.type' => 'phpsession',
    'session.phpsession.savepath' => $data . '/sessions',
];
