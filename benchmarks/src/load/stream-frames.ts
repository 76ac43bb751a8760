import type { ServerResponse } from 'node:http';

export const STREAM_HEADERS = { 'content-type': 'text/event-stream; charset=utf-8' };

/**
 * Writes one frame per event-loop iteration without further delay, so that each is a separate
 * socket write.
 */
export const streamFrames = (
  response: ServerResponse,
  frames: readonly (Buffer | string)[],
  onEnd: () => void = () => {},
): void => {
  let next = 0;
  response.writeHead(200, STREAM_HEADERS);
  const writeNext = (): void => {
    response.write(frames[next]!);
    next += 1;
    if (next < frames.length) {
      setImmediate(writeNext);
      return;
    }
    response.end();
    onEnd();
  };
  writeNext();
};
