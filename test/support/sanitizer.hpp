// Tells whether a test is compiled for AddressSanitizer. It reserves a huge range of addresses, so no program can run
// with a limit on them.
#pragma once

#if defined(__SANITIZE_ADDRESS__)
inline constexpr bool ADDRESS_SANITIZER = true;
#elif defined(__has_feature)
inline constexpr bool ADDRESS_SANITIZER = __has_feature(address_sanitizer);
#else
inline constexpr bool ADDRESS_SANITIZER = false;
#endif
