import { connect } from 'node:net';

/** What a nats-server says of itself to whoever connects. */
export type ServerInfo = { server_name?: string; jetstream?: boolean };

const ANSWER_TIMEOUT_MS = 1_000;
const INFO_BYTES = 64 * 1024;

/** The greeting of the nats-server on a port of 127.0.0.1; undefined when there is none. */
export const readServerInfo = (port: number): Promise<ServerInfo | undefined> =>
  new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1', timeout: ANSWER_TIMEOUT_MS });
    let text = '';
    const give = (info: ServerInfo | undefined): void => {
      socket.destroy();
      resolve(info);
    };
    socket.setEncoding('utf8');
    socket.on('error', () => give(undefined));
    socket.on('timeout', () => give(undefined));
    socket.on('close', () => give(undefined));
    socket.on('data', (chunk: string) => {
      text += chunk;
      if (text.includes('\n') || text.length > INFO_BYTES) give(parseInfo(text));
    });
  });

const parseInfo = (text: string): ServerInfo | undefined => {
  const [, json] = /^INFO (\{.*\})\s/.exec(text) ?? [];
  if (json === undefined) return undefined;
  try {
    return JSON.parse(json) as ServerInfo;
  } catch {
    // Something else listens there.
    return undefined;
  }
};
