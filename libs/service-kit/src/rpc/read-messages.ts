import type { Message } from '@bufbuild/protobuf';
import type { Readable } from 'node:stream';
import { createChannel } from './channel.ts';

/** Messages that wait for their reader before the peer is asked to pause. */
const CAPACITY = 16;

/**
 * The messages of a gRPC stream. Node's own stream iterator would destroy a duplex call when its
 * reading half ends, and costs more per message. `onStop` runs when the reader leaves early.
 */
export const readMessages = (stream: Readable, onStop?: () => void): AsyncIterable<Message> => {
  const channel = createChannel<Message>(CAPACITY, onStop);
  stream.on('data', (message: Message) => {
    const room = channel.push(message);
    if (!room) return;
    stream.pause();
    void room.then(() => stream.resume());
  });
  stream.on('end', channel.end);
  stream.on('error', channel.fail);
  return channel;
};
