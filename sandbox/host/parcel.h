/* A layer as a stream: see README.md, `pack`. Names, never paths: a directory is entered and left, so no name leads out of it. */
#ifndef WARDER_PARCEL_H
#define WARDER_PARCEL_H

#define PARCEL_BEGIN "warder-layer-1"
#define PARCEL_DIRECTORY "directory"
#define PARCEL_LEAVE "leave"
#define PARCEL_FILE "file"
#define PARCEL_LINK "link"
#define PARCEL_WHITEOUT "whiteout"
#define PARCEL_FIFO "fifo"
#define PARCEL_SOCKET "socket"
#define PARCEL_END "end"

#endif
