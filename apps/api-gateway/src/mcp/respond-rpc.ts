import type { Reply, RouteCall } from '../http/route.ts';
import { writeChunk } from '../http/write-chunk.ts';
import {
  COMMENT,
  HEARTBEAT_MS,
  setEventStreamHeaders,
  toEventFrame,
  withHeartbeats,
} from '../server/stream-events.ts';
import { toRpcNotification } from './json-rpc.ts';
import type { RpcNotification } from './json-rpc.ts';

export type RpcReply = { status: number; message: object };

type Item = { notification: RpcNotification } | { reply: RpcReply };

/**
 * Sends the reply of `run` as one JSON body if it is there within 15 s and no notification came
 * before it. Otherwise sends notifications as server-sent events, and the reply as the last event.
 * Writes nothing after the client has disconnected.
 */
export const respondRpc = async (
  call: Pick<RouteCall, 'response' | 'signal'>,
  run: (notify: (notification: RpcNotification) => void) => Promise<RpcReply>,
): Promise<Reply | undefined> => {
  const { response, signal } = call;
  let isOpen = false;
  for await (const item of withHeartbeats(itemsOf(run), HEARTBEAT_MS)) {
    if (!isOpen && item && 'reply' in item) {
      return { status: item.reply.status, json: item.reply.message };
    }
    if (!isOpen) setEventStreamHeaders(response);
    isOpen = true;
    const drained = writeChunk(response, item ? toFrame(item) : COMMENT, signal);
    if (drained) await drained;
  }
  response.end();
  return undefined;
};

const toFrame = (item: Item): string =>
  toEventFrame(
    'message',
    'reply' in item ? item.reply.message : toRpcNotification(item.notification),
  );

/** Yields the notifications of `run` as they come, then its reply. */
async function* itemsOf(
  run: (notify: (notification: RpcNotification) => void) => Promise<RpcReply>,
): AsyncGenerator<Item> {
  const items: Item[] = [];
  let wake = Promise.withResolvers<void>();
  const add = (item: Item): void => {
    items.push(item);
    wake.resolve();
  };
  const running = run((notification) => add({ notification })).then((reply) => add({ reply }));
  for (;;) {
    const item = items.shift();
    if (item) {
      yield item;
      if ('reply' in item) return;
      continue;
    }
    await Promise.race([wake.promise, running]);
    wake = Promise.withResolvers();
  }
}
