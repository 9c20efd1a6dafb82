#include "parameters.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

bool fail(string *error, const char *format, ...) {
    char message[200];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    key_provider_plugin_string_dup(error, message);
    return false;
}

bool parameters_parse(const string *text, parameters *result, string *error) {
    result->document = yyjson_read((const char *)text->ptr, text->len, YYJSON_READ_NOFLAG);
    if (yyjson_is_obj(yyjson_doc_get_root(result->document))) return true;
    parameters_free(result);
    return fail(error, "not a JSON object");
}

void parameters_free(parameters *self) {
    yyjson_doc_free(self->document);
    self->document = NULL;
}

/* Of a doubled field the last value, as OpenTofu reads it. */
static yyjson_val *find(const parameters *self, const char *name) {
    yyjson_val *found = NULL;
    yyjson_val *key;
    yyjson_obj_iter fields = yyjson_obj_iter_with(yyjson_doc_get_root(self->document));
    while ((key = yyjson_obj_iter_next(&fields))) {
        if (yyjson_equals_str(key, name)) found = yyjson_obj_iter_get_val(key);
    }
    return found;
}

static bool value(const parameters *self, const char *name, yyjson_val **result, string *error) {
    *result = find(self, name);
    if (*result && !yyjson_is_null(*result)) return true;
    return fail(error, "%s is missing", name);
}

bool parameters_positive(const parameters *self, const char *name, uint32_t *number,
                         string *error) {
    yyjson_val *field;
    if (!value(self, name, &field, error)) return false;
    /* A number with a fraction or an exponent is a real one, whatever its value. */
    uint64_t whole = yyjson_is_uint(field) ? yyjson_get_uint(field) : 0;
    if (whole == 0 || whole > UINT32_MAX) {
        return fail(error, "%s is not a whole number from 1 to 4294967295", name);
    }
    *number = (uint32_t)whole;
    return true;
}

bool parameters_text(const parameters *self, const char *name, string *text, string *error) {
    yyjson_val *field;
    if (!value(self, name, &field, error)) return false;
    if (!yyjson_is_str(field) || yyjson_get_len(field) == 0) {
        return fail(error, "%s is not a text, or empty", name);
    }
    text->ptr = (uint8_t *)yyjson_get_str(field);
    text->len = yyjson_get_len(field);
    return true;
}

static bool equals(const string *text, const char *other) {
    return text->len == strlen(other) && memcmp(text->ptr, other, text->len) == 0;
}

bool parameters_hash_function(const parameters *self, hash_function *hash, string *error) {
    string name;
    if (!parameters_text(self, "hash_function", &name, error)) return false;
    if (equals(&name, "sha256")) {
        *hash = KEYHOST_PLUGIN_CRYPTO_HASH_FUNCTION_SHA256;
    } else if (equals(&name, "sha512")) {
        *hash = KEYHOST_PLUGIN_CRYPTO_HASH_FUNCTION_SHA512;
    } else {
        return fail(error, "hash_function is neither sha256 nor sha512");
    }
    return true;
}

const char *hash_function_name(hash_function hash) {
    return hash == KEYHOST_PLUGIN_CRYPTO_HASH_FUNCTION_SHA256 ? "sha256" : "sha512";
}
