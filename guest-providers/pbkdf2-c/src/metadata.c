#include "metadata.h"

#include <stdlib.h>

#include "base64.h"

static bool salt(const parameters *stored, metadata *result, string *error) {
    string text;
    if (!parameters_text(stored, "salt", &text, error)) return false;
    result->salt.ptr = malloc(text.len);
    if (!result->salt.ptr) abort();
    if (base64_decode(text.ptr, text.len, result->salt.ptr, &result->salt.len)) return true;
    return fail(error, "salt is not standard base64");
}

static bool read(const parameters *stored, metadata *result, string *error) {
    return salt(stored, result, error)
        && parameters_positive(stored, "iterations", &result->iterations, error)
        && parameters_hash_function(stored, &result->hash, error)
        && parameters_positive(stored, "key_length", &result->key_length, error);
}

bool metadata_parse(const string *text, metadata *result, string *error) {
    *result = (metadata){0};
    parameters stored;
    if (!parameters_parse(text, &stored, error)) return false;
    bool valid = read(&stored, result, error);
    parameters_free(&stored);
    if (!valid) metadata_free(result);
    return valid;
}

bool metadata_to_json(const metadata *self, string *json) {
    char *salt = malloc(BASE64_ENCODED_LENGTH(self->salt.len) + 1);
    if (!salt) abort();
    base64_encode(self->salt.ptr, self->salt.len, salt);

    yyjson_mut_doc *document = yyjson_mut_doc_new(NULL);
    yyjson_mut_val *object = yyjson_mut_obj(document);
    yyjson_mut_doc_set_root(document, object);
    bool complete = yyjson_mut_obj_add_str(document, object, "salt", salt)
        && yyjson_mut_obj_add_uint(document, object, "iterations", self->iterations)
        && yyjson_mut_obj_add_str(document, object, "hash_function", hash_function_name(self->hash))
        && yyjson_mut_obj_add_uint(document, object, "key_length", self->key_length);
    if (complete) json->ptr = (uint8_t *)yyjson_mut_write(document, YYJSON_WRITE_NOFLAG, &json->len);
    yyjson_mut_doc_free(document);
    free(salt);
    return complete && json->ptr;
}

void metadata_free(metadata *self) {
    free(self->salt.ptr);
    self->salt = (key_provider_plugin_list_u8_t){0};
}
