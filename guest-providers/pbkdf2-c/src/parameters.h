/* Reading typed parameters from a JSON object, with errors that name the
 * field. */
#ifndef PARAMETERS_H
#define PARAMETERS_H

#include <stdbool.h>
#include <stdint.h>

#include "key_provider_plugin.h"
#include "yyjson.h"

typedef key_provider_plugin_string_t string;
typedef keyhost_plugin_crypto_hash_function_t hash_function;

/* The parameters of a JSON object, of the configuration or of metadata. */
typedef struct {
    yyjson_doc *document;
} parameters;

/* Functions that can fail return false and set `error`, which the caller owns. */

bool parameters_parse(const string *text, parameters *result, string *error);

void parameters_free(parameters *self);

/* A whole number from 1 to 2^32 - 1. */
bool parameters_positive(const parameters *self, const char *name, uint32_t *number, string *error);

/* A text that is not empty. It lives as long as the parameters. */
bool parameters_text(const parameters *self, const char *name, string *text, string *error);

/* The hash function, spelled exactly as OpenTofu spells it. */
bool parameters_hash_function(const parameters *self, hash_function *hash, string *error);

/* The name of a hash function in metadata. */
const char *hash_function_name(hash_function hash);

/* Sets `error` to a formatted message of at most 200 bytes. Returns false. */
bool fail(string *error, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
