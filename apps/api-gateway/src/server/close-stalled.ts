import type { IncomingMessage, Server, ServerResponse } from 'node:http';

type WatchedResponse = Pick<ServerResponse, 'writableLength'> & {
  socket: WatchedSocket | null;
};

type WatchedSocket = {
  readonly bytesWritten: number;
  destroy: () => void;
  /**
   * Internal to Node, but the only source for the bytes of a single long write that are not sent
   * yet.
   */
  readonly _handle?: { readonly writeQueueSize: number } | null;
};

type StallWatch<R extends WatchedResponse> = {
  add: (response: R) => void;
  remove: (response: R) => void;
  /**
   * Closes every connection that had unsent data for `stalledMs` and made no progress; `nowMs` is a
   * monotonic time.
   */
  check: (nowMs: number) => void;
};

type Progress = { sentBytes: number; queuedBytes: number; sinceMs: number };

/**
 * Creates a watch that closes connections whose client has read nothing for `stalledMs`, because
 * unread data takes memory here, in the other services and at the provider. Clients that read
 * slowly are not affected.
 */
export const createStallWatch = <R extends WatchedResponse>({
  stalledMs,
  onStalled,
}: {
  stalledMs: number;
  onStalled: (response: R) => void;
}): StallWatch<R> => {
  const progressByResponse = new Map<R, Progress>();
  const checkProgress = (response: R, progress: Progress, nowMs: number): void => {
    const { socket, writableLength } = response;
    const sentBytes = (socket?.bytesWritten ?? 0) - writableLength;
    const queuedBytes = socket?._handle?.writeQueueSize ?? 0;
    const hasProgress = sentBytes !== progress.sentBytes || queuedBytes !== progress.queuedBytes;
    if (!socket || writableLength === 0 || hasProgress) {
      progressByResponse.set(response, { sentBytes, queuedBytes, sinceMs: nowMs });
    } else if (nowMs - progress.sinceMs >= stalledMs) {
      onStalled(response);
      progressByResponse.delete(response);
      socket.destroy();
    }
  };
  return {
    add: (response) =>
      void progressByResponse.set(response, { sentBytes: -1, queuedBytes: 0, sinceMs: 0 }),
    remove: (response) => void progressByResponse.delete(response),
    check: (nowMs) => {
      for (const [response, progress] of progressByResponse)
        checkProgress(response, progress, nowMs);
    },
  };
};

const STALLED_MS = 30_000;
const CHECK_EVERY_MS = 5_000;

export const closeStalled = (
  server: Server,
  {
    onStalled,
    stalledMs = STALLED_MS,
  }: { onStalled: (response: ServerResponse) => void; stalledMs?: number },
): void => {
  const watch = createStallWatch({ stalledMs, onStalled });
  const everyMs = Math.min(CHECK_EVERY_MS, stalledMs);
  const timer = setInterval(() => watch.check(performance.now()), everyMs).unref();
  server.once('close', () => clearInterval(timer));
  server.prependListener('request', (_request: IncomingMessage, response: ServerResponse) => {
    watch.add(response);
    response.once('close', () => watch.remove(response));
  });
};
