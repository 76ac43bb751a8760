import type { Message } from '@bufbuild/protobuf';
import type { Readable } from 'node:stream';
import { createChannel } from './channel.ts';

const CAPACITY = 16;

/**
 * Reads the messages of a gRPC stream. Node's own stream iterator is slower and would destroy a
 * duplex call when its reading half ends. `onStop` is called when the reader stops before the end.
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
