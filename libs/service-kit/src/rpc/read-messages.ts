import type { Message } from '@bufbuild/protobuf';
import type { Readable } from 'node:stream';
import { createChannel } from './channel.ts';

const CAPACITY = 16;

/**
 * Reads the messages of a gRPC stream. Node's stream iterator would destroy a duplex call when its
 * reading half ends, and is slower. `onStop` runs when the reader stops early.
 */
export const readMessages = (stream: Readable, onStop?: () => void): AsyncIterable<Message> => {
  const channel = createChannel<Message>(CAPACITY, onStop);
  stream.on('data', (message: Message) => {
    const spaceAvailable = channel.push(message);
    if (!spaceAvailable) return;
    stream.pause();
    void spaceAvailable.then(() => stream.resume());
  });
  stream.on('end', channel.end);
  stream.on('error', channel.fail);
  return channel;
};
