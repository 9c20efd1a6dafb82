component "x" {
  path =
}
