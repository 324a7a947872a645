// libfuse's low-level interface, at the one version this folder is written for.
#pragma once

#define FUSE_USE_VERSION 312
#include <fuse_lowlevel.h>
