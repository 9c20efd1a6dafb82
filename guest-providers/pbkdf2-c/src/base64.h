/* Standard base64 with padding (RFC 4648, section 4). */
#ifndef BASE64_H
#define BASE64_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The text's length without its NUL. */
#define BASE64_ENCODED_LENGTH(bytes) (((bytes) + 2) / 3 * 4)

/* Writes the text and a NUL. */
void base64_encode(const uint8_t *bytes, size_t length, char *text);

/* Decodes in place, strictly: no line breaks, no missing padding, no stray
 * bits. False if the text is not base64. */
bool base64_decode(const uint8_t *text, size_t length, uint8_t *bytes, size_t *decoded);

#endif
