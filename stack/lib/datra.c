/* SPDX-License-Identifier: Apache-2.0 */
#include "datra.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "datra-ioctl.h"
#include "datra-registers.h"

static _Thread_local char error[160];

const char *datra_error(void)
{
	return error;
}

/* Remembers what was asked; gives -1, with errno as it was. */
static int failed(const char *format, ...)
{
	int kept = errno;
	va_list arguments;
	size_t length;

	va_start(arguments, format);
	vsnprintf(error, sizeof(error), format, arguments);
	va_end(arguments);
	length = strlen(error);
	snprintf(error + length, sizeof(error) - length, ": %s", strerror(kept));
	errno = kept;
	return -1;
}

static void file_name(char *path, size_t size, unsigned card, const char *kind, int number)
{
	char digits[12] = "";

	if (number >= 0)
		snprintf(digits, sizeof(digits), "%d", number);
	if (card == 0)
		snprintf(path, size, "/dev/datra%s%s", kind, digits);
	else
		snprintf(path, size, "/dev/datra%u.%s%s", card, kind, digits);
}

static int file_open(unsigned card, const char *kind, int number, int flags)
{
	char path[64];
	int fd;

	file_name(path, sizeof(path), card, kind, number);
	fd = open(path, flags | O_CLOEXEC);
	return fd < 0 ? failed("open %s", path) : fd;
}

/* ---- nodes and routes ---------------------------------------------------------------------------- */

static int word(unsigned card, const char *kind, int number, uint32_t offset, uint32_t *value,
		bool write)
{
	int fd = file_open(card, kind, number, write ? O_WRONLY : O_RDONLY);
	ssize_t done;

	if (fd < 0)
		return -1;
	done = write ? pwrite(fd, value, 4, offset) : pread(fd, value, 4, offset);
	if (done != 4) {
		if (done >= 0)
			errno = EINVAL;
		failed("%s register 0x%05x of %s", write ? "write" : "read", offset, kind);
	}
	close(fd);
	return done == 4 ? 0 : -1;
}

int datra_peek(unsigned card, uint32_t offset, uint32_t *value)
{
	return word(card, "ctl", -1, offset, value, false);
}

int datra_poke(unsigned card, uint32_t offset, uint32_t value)
{
	return word(card, "ctl", -1, offset, &value, true);
}

int datra_window_peek(unsigned card, unsigned node, uint32_t offset, uint32_t *value)
{
	return word(card, "cfg", (int)node, offset, value, false);
}

int datra_window_poke(unsigned card, unsigned node, uint32_t offset, uint32_t value)
{
	return word(card, "cfg", (int)node, offset, &value, true);
}

int datra_nodes(unsigned card, struct datra_node *nodes, unsigned most)
{
	static const unsigned counts[] = { DATRA_CONTROL_NODE_COUNT, DATRA_CONTROL_NODE_COUNT_HIGH };
	uint32_t bytes, status, type, version, queues;
	unsigned count = 0;

	for (unsigned i = 0; i < 2; i++) {
		if (datra_peek(card, counts[i], &bytes))
			return -1;
		for (unsigned byte = 0; byte < 32; byte += 8)
			count += bytes >> byte & 0xFF;
	}
	if (datra_peek(card, DATRA_CONTROL_BACKPLANE_STATUS, &status))
		return -1;
	status = FIELD_GET(DATRA_CONTROL_BACKPLANE_NODES, status);
	for (unsigned n = 0; n < count && n < most; n++) {
		uint32_t page = DATRA_CARD_NODE_PAGE(n);

		if (datra_peek(card, page + DATRA_NODE_TYPE, &type) ||
		    datra_peek(card, page + DATRA_NODE_VERSION, &version) ||
		    datra_peek(card, page + DATRA_NODE_QUEUES, &queues))
			return -1;
		nodes[n] = (struct datra_node){
			.type = FIELD_GET(DATRA_NODE_TYPE_KIND, type),
			.version = version,
			.inputs = FIELD_GET(DATRA_NODE_QUEUES_INPUTS, queues),
			.outputs = FIELD_GET(DATRA_NODE_QUEUES_OUTPUTS, queues),
			.enabled = status >> n & 1,
		};
	}
	return (int)count;
}

static int control(unsigned card, unsigned long request, void *argument, const char *what)
{
	int fd = file_open(card, "ctl", -1, O_RDWR), result;

	if (fd < 0)
		return -1;
	result = ioctl(fd, request, argument);
	if (result < 0)
		failed("%s", what);
	close(fd);
	return result;
}

int datra_routes(unsigned card, struct datra_route *routes, unsigned most)
{
	struct datra_route_t all = { most, (struct datra_route_item_t *)routes };

	return control(card, DATRA_IOCGROUTE, &all, "IOCGROUTE: read the routes");
}

int datra_connect(unsigned card, unsigned source, unsigned source_queue, unsigned sink,
		  unsigned sink_queue)
{
	struct datra_route_item_t item = { (__u8)sink_queue, (__u8)sink, (__u8)source_queue,
					   (__u8)source };
	struct datra_route_t one = { 1, &item };
	char what[80];

	snprintf(what, sizeof(what), "IOCSROUTE: connect %u.%u to %u.%u", source, source_queue, sink,
		 sink_queue);
	if ((source | source_queue | sink | sink_queue) > 255) {
		errno = EINVAL;
		return failed("%s", what);
	}
	return control(card, DATRA_IOCSROUTE, &one, what);
}

int datra_disconnect(unsigned card)
{
	return control(card, DATRA_IOCROUTE_CLEAR, NULL, "IOCROUTE_CLEAR: clear the routes");
}

int datra_enable(unsigned card, uint32_t nodes)
{
	return control(card, DATRA_IOCTBACKPLANE_ENABLE, (void *)(uintptr_t)nodes,
		       "IOCTBACKPLANE_ENABLE: enable nodes");
}

int datra_disable(unsigned card, uint32_t nodes)
{
	return control(card, DATRA_IOCTBACKPLANE_DISABLE, (void *)(uintptr_t)nodes,
		       "IOCTBACKPLANE_DISABLE: disable nodes");
}

/* ---- streams ------------------------------------------------------------------------------------- */

struct datra_stream {
	int fd;
	char path[64];
	enum datra_direction direction;
	unsigned count, oldest, given;	/* blocks: their number, the oldest given, how many are given */
	unsigned order[8];
	struct datra_block block[8];
};

static struct datra_stream *stream_open(unsigned card, const char *kind, unsigned number, int mode,
					int flags, enum datra_direction direction)
{
	struct datra_stream *stream = calloc(1, sizeof(*stream));

	if (!stream) {
		failed("open %s%u", kind, number);
		return NULL;
	}
	file_name(stream->path, sizeof(stream->path), card, kind, (int)number);
	stream->direction = direction;
	stream->fd = open(stream->path, mode | O_CLOEXEC | flags);
	if (stream->fd < 0) {
		failed("open %s", stream->path);
		free(stream);
		return NULL;
	}
	return stream;
}

struct datra_stream *datra_fifo_open(unsigned card, enum datra_direction direction, unsigned number,
				     int flags)
{
	bool to = direction == DATRA_TO_LOGIC;

	return stream_open(card, to ? "w" : "r", number, to ? O_WRONLY : O_RDONLY, flags, direction);
}

struct datra_stream *datra_dma_open(unsigned card, enum datra_direction direction, unsigned number,
				    int flags)
{
	/* Blocks to logic are mapped for writing, which needs both rights. */
	return stream_open(card, "d", number, direction == DATRA_TO_LOGIC ? O_RDWR : O_RDONLY, flags,
			   direction);
}

static void unmap(struct datra_stream *stream)
{
	for (unsigned i = 0; i < stream->count; i++)
		if (stream->block[i].data)
			munmap(stream->block[i].data, stream->block[i].size);
	stream->count = 0;
}

void datra_close(struct datra_stream *stream)
{
	if (!stream)
		return;
	unmap(stream);
	close(stream->fd);
	free(stream);
}

int datra_descriptor(const struct datra_stream *stream)
{
	return stream->fd;
}

ssize_t datra_write(struct datra_stream *stream, const void *data, size_t bytes)
{
	ssize_t done = write(stream->fd, data, bytes);

	if (done < 0 && errno != EAGAIN && errno != EINTR)
		failed("write %zu bytes to %s", bytes, stream->path);
	return done;
}

ssize_t datra_read(struct datra_stream *stream, void *data, size_t bytes)
{
	ssize_t done = read(stream->fd, data, bytes);

	if (done < 0 && errno != EAGAIN && errno != EINTR)
		failed("read %zu bytes from %s", bytes, stream->path);
	return done;
}

static int call(struct datra_stream *stream, unsigned long request, unsigned long argument,
		const char *name)
{
	int result = ioctl(stream->fd, request, argument);

	return result < 0 ? failed("%s of %s", name, stream->path) : result;
}

int datra_set_signal(struct datra_stream *stream, uint16_t signal)
{
	return call(stream, DATRA_IOCTUSERSIGNAL, signal, "IOCTUSERSIGNAL");
}

int datra_signal(struct datra_stream *stream)
{
	return call(stream, DATRA_IOCQUSERSIGNAL, 0, "IOCQUSERSIGNAL");
}

int datra_set_threshold(struct datra_stream *stream, unsigned threshold)
{
	return call(stream, DATRA_IOCTTRESHOLD, threshold, "IOCTTRESHOLD");
}

int datra_reset(struct datra_stream *stream)
{
	stream->given = 0;
	return call(stream, DATRA_IOCRESET_FIFO_WRITE, 0, "IOCRESET_FIFO_WRITE");
}

int datra_queue(struct datra_stream *stream)
{
	return call(stream, DATRA_IOCQROUTE_QUERY_ID, 0, "IOCQROUTE_QUERY_ID");
}

int datra_flush(struct datra_stream *stream)
{
	uint32_t flags = 0;

	return call(stream, DATRA_IOCFLUSH, (uintptr_t)&flags, "IOCFLUSH");
}

int datra_set_timeout(struct datra_stream *stream, unsigned microseconds)
{
	uint32_t given = microseconds;

	return call(stream, DATRA_IOCSTIMEOUT, (uintptr_t)&given, "IOCSTIMEOUT");
}

/* ---- blocks -------------------------------------------------------------------------------------- */

static void forget(struct datra_stream *stream)
{
	unmap(stream);
	stream->given = 0;
	stream->oldest = 0;
}

static int map(struct datra_stream *stream, unsigned number)
{
	int access = PROT_READ | (stream->direction == DATRA_TO_LOGIC ? PROT_WRITE : 0);
	struct datra_buffer_block block = { .id = number };
	void *data;

	if (ioctl(stream->fd, DATRA_IOCDMABLOCK_QUERY, &block) < 0)
		return failed("IOCDMABLOCK_QUERY of %s: block %u", stream->path, number);
	data = mmap(NULL, block.size, access, MAP_SHARED, stream->fd, block.offset);
	if (data == MAP_FAILED)
		return failed("map block %u of %s", number, stream->path);
	stream->block[number] = (struct datra_block){ data, block.size, 0, 0 };
	stream->count++;
	return 0;
}

int datra_blocks(struct datra_stream *stream, enum datra_mode mode, uint32_t size, unsigned count)
{
	struct datra_dma_configuration_req request = { mode, size, count };

	forget(stream);
	if (ioctl(stream->fd, DATRA_IOCDMA_RECONFIGURE, &request) < 0)
		return failed("IOCDMA_RECONFIGURE of %s: %u blocks of %u bytes", stream->path, count,
			      size);
	for (unsigned i = 0; i < request.count; i++)
		if (map(stream, i))
			return -1;
	return (int)stream->count;
}

int datra_export(struct datra_stream *stream, unsigned number)
{
	struct datra_dmabuf_export request = { .id = number, .flags = O_CLOEXEC };

	if (ioctl(stream->fd, DATRA_IOCDMABUF_EXPORT, &request) < 0)
		return failed("IOCDMABUF_EXPORT of %s: block %u", stream->path, number);
	return request.fd;
}

int datra_import(struct datra_stream *stream, const int *descriptors, unsigned count)
{
	struct datra_dmabuf_import request = { .count = count };

	forget(stream);
	for (unsigned i = 0; i < count && i < 8; i++)
		request.fd[i] = descriptors[i];
	if (ioctl(stream->fd, DATRA_IOCDMABUF_IMPORT, &request) < 0)
		return failed("IOCDMABUF_IMPORT of %s: %u dma-bufs", stream->path, count);
	for (unsigned i = 0; i < count; i++)
		stream->block[i] = (struct datra_block){ NULL, request.size, 0, 0 };
	stream->count = count;
	return (int)count;
}

/* ---- standalone ---------------------------------------------------------------------------------- */

int datra_standalone(struct datra_stream *stream, uint32_t size)
{
	struct datra_standalone_req request = { .size = size };

	forget(stream);
	if (ioctl(stream->fd, DATRA_IOCSTANDALONE, &request) < 0)
		return failed("IOCSTANDALONE of %s: %u bytes", stream->path, size);
	return map(stream, 0);
}

int datra_start(struct datra_stream *stream, const struct datra_piece *pieces, unsigned count,
		bool cyclic)
{
	struct datra_standalone_item items[DATRA_STANDALONE_ITEMS] = { 0 };
	struct datra_standalone_list list = {
		.items = (uintptr_t)items,
		.count = count,
		.flags = cyclic ? DATRA_STANDALONE_CYCLIC : 0,
	};

	for (unsigned i = 0; i < count && i < DATRA_STANDALONE_ITEMS; i++) {
		items[i].offset = pieces[i].offset;
		items[i].bytes = pieces[i].bytes;
		items[i].user_signal = pieces[i].signal;
	}
	if (ioctl(stream->fd, DATRA_IOCSTANDALONE_START, &list) < 0)
		return failed("IOCSTANDALONE_START of %s: %u pieces", stream->path, count);
	return 0;
}

int datra_progress(struct datra_stream *stream, struct datra_progress *progress)
{
	struct datra_standalone_state state;

	if (ioctl(stream->fd, DATRA_IOCSTANDALONE_STATE, &state) < 0)
		return failed("IOCSTANDALONE_STATE of %s", stream->path);
	*progress = (struct datra_progress){ state.frames, state.errors, state.running };
	return 0;
}

/* ---- blocks in flight ---------------------------------------------------------------------------- */

unsigned datra_block_count(const struct datra_stream *stream)
{
	return stream->count;
}

struct datra_block *datra_block(struct datra_stream *stream, unsigned number)
{
	if (number < stream->count)
		return &stream->block[number];
	errno = EINVAL;
	failed("block %u of %s, which has %u", number, stream->path, stream->count);
	return NULL;
}

int datra_submit(struct datra_stream *stream, unsigned number)
{
	struct datra_block *block = datra_block(stream, number);
	struct datra_buffer_block given = { .id = number };

	if (!block)
		return -1;
	given.bytes_used = block->bytes;
	given.user_signal = block->signal;
	if (ioctl(stream->fd, DATRA_IOCDMABLOCK_ENQUEUE, &given) < 0)
		return failed("IOCDMABLOCK_ENQUEUE of %s: block %u, %u bytes", stream->path, number,
			      block->bytes);
	stream->order[(stream->oldest + stream->given++) % 8] = number;
	return 0;
}

int datra_wait(struct datra_stream *stream)
{
	unsigned number = stream->order[stream->oldest % 8];
	struct datra_buffer_block back = { .id = number };

	if (stream->given == 0) {
		errno = EINVAL;
		return failed("wait for a block of %s: none is given", stream->path);
	}
	if (ioctl(stream->fd, DATRA_IOCDMABLOCK_DEQUEUE, &back) < 0) {
		if (errno == EREMOTEIO)
			stream->oldest++, stream->given--;
		if (errno == EAGAIN || errno == EINTR)
			return -1;
		return failed("IOCDMABLOCK_DEQUEUE of %s: block %u", stream->path, number);
	}
	stream->oldest++;
	stream->given--;
	stream->block[number].bytes = back.bytes_used;
	stream->block[number].signal = back.user_signal;
	return (int)number;
}
