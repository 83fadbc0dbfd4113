<?php

// The people whom the login form knows, as NAME:PASSWORD.
$config = [
    'people' => [
        'exampleauth:UserPass',
        'ada:ada-password' => [
            'uid' => ['ada'],
            'displayName' => ['Ada Lovelace'],
            'mail' => ['ada@id.example'],
            'groups' => ['admins'],
        ],
        'grace:grace-password' => [
            'uid' => ['grace'],
            'displayName' => ['Grace Hopper'],
            'mail' => ['grace@id.example'],
            'groups' => ['staff', 'writers'],
        ],
    ],
];
