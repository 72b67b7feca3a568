/// What `sim --plugin` looks for.
extern "C" void convoy_register(convoy::Registry& registry, int interface_version) {
  if (interface_version != convoy::interface_version) {
    throw std::runtime_error("it was built for interface version " + std::to_string(convoy::interface_version));
  }
  registry.add_algorithm("@NAME@", [] { return std::make_unique<convoy::@CLASS@>(); });
}
