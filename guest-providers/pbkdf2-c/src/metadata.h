/* The parameters of one derivation, as OpenTofu stores them. Stored metadata
 * rules decryption alone; the host bounds the work that it asks for. */
#ifndef METADATA_H
#define METADATA_H

#include "parameters.h"

typedef struct {
    key_provider_plugin_list_u8_t salt;
    uint32_t iterations;
    hash_function hash;
    uint32_t key_length;
} metadata;

/* Accepts unknown fields, and of a doubled field the last value, as OpenTofu
 * does. */
bool metadata_parse(const string *text, metadata *result, string *error);

/* The JSON, with OpenTofu's names and order. */
bool metadata_to_json(const metadata *self, string *json);

void metadata_free(metadata *self);

#endif
