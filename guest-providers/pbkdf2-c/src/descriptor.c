#include <stdlib.h>

#include "key_provider_plugin.h"

#define TYPE(name) KEYHOST_PLUGIN_CONFIG_ATTRIBUTE_TYPE_##name

typedef struct {
    const char *name;
    keyhost_plugin_config_attribute_type_t kind;
    bool sensitive;
    /* As JSON; NULL for none. */
    const char *default_value;
    const char *description;
} attribute;

static const attribute ATTRIBUTES[] = {
    {"passphrase", TYPE(STRING), true, NULL,
     "The passphrase, at least 16 bytes; either this or chain."},
    {"chain", TYPE(KEY), false, NULL,
     "A key provider whose key takes the passphrase's place."},
    {"iterations", TYPE(NUMBER), false, "600000",
     "How often the hash function is applied, at least 200000."},
    {"key_length", TYPE(NUMBER), false, "32", "The length of the key in bytes."},
    {"salt_length", TYPE(NUMBER), false, "32", "The length of the random salt in bytes."},
    {"hash_function", TYPE(STRING), false, "\"sha512\"", "sha256 or sha512."},
};

#define COUNT (sizeof ATTRIBUTES / sizeof *ATTRIBUTES)

/* What is returned is freed by the bindings afterwards, and so is a copy. */
void exports_keyhost_plugin_key_provider_describe(
    exports_keyhost_plugin_key_provider_descriptor_t *descriptor) {
    key_provider_plugin_string_dup(&descriptor->id, "pbkdf2");
    key_provider_plugin_string_dup(&descriptor->version, "0.1.0");
    descriptor->attributes.ptr = calloc(COUNT, sizeof *descriptor->attributes.ptr);
    if (!descriptor->attributes.ptr) abort();
    descriptor->attributes.len = COUNT;
    for (size_t i = 0; i < COUNT; i++) {
        keyhost_plugin_config_attribute_t *described = &descriptor->attributes.ptr[i];
        key_provider_plugin_string_dup(&described->name, ATTRIBUTES[i].name);
        described->kind = ATTRIBUTES[i].kind;
        described->sensitive = ATTRIBUTES[i].sensitive;
        described->default_.is_some = ATTRIBUTES[i].default_value != NULL;
        if (described->default_.is_some) {
            key_provider_plugin_string_dup(&described->default_.val, ATTRIBUTES[i].default_value);
        }
        key_provider_plugin_string_dup(&described->description, ATTRIBUTES[i].description);
    }
}
