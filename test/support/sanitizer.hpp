// Whether a test is compiled for AddressSanitizer, which takes addresses for all that there are: no program runs within a limit
// of them then.
#pragma once

#if defined(__SANITIZE_ADDRESS__)
inline constexpr bool ADDRESS_SANITIZER = true;
#elif defined(__has_feature)
inline constexpr bool ADDRESS_SANITIZER = __has_feature(address_sanitizer);
#else
inline constexpr bool ADDRESS_SANITIZER = false;
#endif
