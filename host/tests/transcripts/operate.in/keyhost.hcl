component "static" {
  path   = var.static_path
  sha256 = var.static_sha256
}
component "pbkdf2" {
  path   = var.pbkdf2_path
  sha256 = var.pbkdf2_sha256
}
component "xor" {
  path   = var.xor_path
  sha256 = var.xor_sha256
}
component "changed" {
  path   = var.static_path
  sha256 = "0000000000000000000000000000000000000000000000000000000000000000"
}
component "missing" {
  path   = "missing.wasm"
  sha256 = "0000000000000000000000000000000000000000000000000000000000000000"
}
component "unpinned" {
  path = var.static_path
}
variable "static_path" {}
variable "static_sha256" {}
variable "pbkdf2_path" {}
variable "pbkdf2_sha256" {}
variable "xor_path" {}
variable "xor_sha256" {}
variable "passphrase" {
  sensitive = true
}
variable "unset" {}

encryption {
  key_provider "pbkdf2" "main" {
    passphrase = var.passphrase
    iterations = 200000
  }
  key_provider "static" "a" {
    key = "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff"
  }
  key_provider "static" "odd" {
    key = "001"
  }
  key_provider "static" "unset" {
    key = var.unset
  }
  key_provider "static" "none" {}
  key_provider "pbkdf2" "list" {
    passphrase = var.passphrase
    iterations = [200000]
  }
  key_provider "pbkdf2" "typo" {
    pasphrase = "hunter2 hunter2 hunter2"
  }
  key_provider "pbkdf2" "nowhere" {
    chain = key_provider.static.nowhere
  }
  key_provider "pbkdf2" "a" {
    chain = key_provider.pbkdf2.b
  }
  key_provider "pbkdf2" "b" {
    chain = key_provider.pbkdf2.a
  }
  key_provider "xor" "zeros" {
    a = key_provider.static.a
    b = key_provider.static.a
  }
  key_provider "changed" "it" {
    key = "00"
  }
  key_provider "missing" "it" {}
  key_provider "unpinned" "it" {}
  key_provider "external" "it" {}

  method "aes_gcm" "m" {
    keys = key_provider.static.a
  }
  state {
    method = method.aes_gcm.m
  }
}
