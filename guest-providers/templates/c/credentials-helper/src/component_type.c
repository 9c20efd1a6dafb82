/* The bindings refer to an object file that carries the component's type. Here
 * `keyhost componentize` adds the type, and this function takes its place. */
extern void __component_type_object_force_link_credentials_helper_plugin(void);

void __component_type_object_force_link_credentials_helper_plugin(void) {}
