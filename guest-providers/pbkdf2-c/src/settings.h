/* A checked configuration: what keys are derived from, and the parameters of
 * new keys. */
#ifndef SETTINGS_H
#define SETTINGS_H

#include "parameters.h"

typedef keyhost_plugin_secrets_own_secret_t secret;
typedef exports_keyhost_plugin_key_provider_key_pair_t key_pair;

typedef struct {
    /* Either the keys of another provider, one for each direction, or one
     * passphrase for both. */
    bool chained;
    key_pair chain;
    secret passphrase;

    uint32_t iterations;
    uint32_t key_length;
    uint32_t salt_length;
    hash_function hash;
} settings;

/* Takes the handles out of the configuration. */
bool settings_of(exports_keyhost_plugin_key_provider_config_t *config, settings *result,
                 string *error);

#endif
