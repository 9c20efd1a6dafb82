#include "base64.h"

static const char ALPHABET[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

void base64_encode(const uint8_t *bytes, size_t length, char *text) {
    for (size_t at = 0; at < length; at += 3) {
        size_t left = length - at;
        uint32_t group = (uint32_t)bytes[at] << 16;
        if (left > 1) group |= (uint32_t)bytes[at + 1] << 8;
        if (left > 2) group |= bytes[at + 2];
        *text++ = ALPHABET[group >> 18];
        *text++ = ALPHABET[group >> 12 & 63];
        *text++ = left > 1 ? ALPHABET[group >> 6 & 63] : '=';
        *text++ = left > 2 ? ALPHABET[group & 63] : '=';
    }
    *text = '\0';
}

/* The six bits of a character, or -1. */
static int32_t digit(uint8_t character) {
    if (character >= 'A' && character <= 'Z') return character - 'A';
    if (character >= 'a' && character <= 'z') return character - 'a' + 26;
    if (character >= '0' && character <= '9') return character - '0' + 52;
    if (character == '+') return 62;
    if (character == '/') return 63;
    return -1;
}

bool base64_decode(const uint8_t *text, size_t length, uint8_t *bytes, size_t *decoded) {
    *decoded = 0;
    if (length % 4 != 0) return false;
    for (size_t at = 0; at < length; at += 4) {
        bool last = at + 4 == length;
        size_t padding = 0;
        if (last && text[at + 3] == '=') padding = text[at + 2] == '=' ? 2 : 1;
        uint32_t group = 0;
        for (size_t i = 0; i < 4; i++) {
            int32_t bits = i < 4 - padding ? digit(text[at + i]) : 0;
            if (bits < 0) return false;
            group = group << 6 | (uint32_t)bits;
        }
        /* Bits that no byte takes. */
        if (padding == 1 && (group & 0xff)) return false;
        if (padding == 2 && (group & 0xffff)) return false;
        bytes[(*decoded)++] = group >> 16;
        if (padding < 2) bytes[(*decoded)++] = group >> 8 & 0xff;
        if (padding < 1) bytes[(*decoded)++] = group & 0xff;
    }
    return true;
}
