import { connect } from 'node:net';

export type ServerInfo = { server_name?: string; jetstream?: boolean };

const ANSWER_TIMEOUT_MS = 1_000;
const INFO_BYTES = 64 * 1024;

export const readServerInfo = (port: number): Promise<ServerInfo | undefined> =>
  new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1', timeout: ANSWER_TIMEOUT_MS });
    let text = '';
    const finish = (info: ServerInfo | undefined): void => {
      socket.destroy();
      resolve(info);
    };
    socket.setEncoding('utf8');
    socket.on('error', () => finish(undefined));
    socket.on('timeout', () => finish(undefined));
    socket.on('close', () => finish(undefined));
    socket.on('data', (chunk: string) => {
      text += chunk;
      if (text.includes('\n') || text.length > INFO_BYTES) finish(parseInfo(text));
    });
  });

const parseInfo = (text: string): ServerInfo | undefined => {
  const [, json] = /^INFO (\{.*\})\s/.exec(text) ?? [];
  if (json === undefined) return undefined;
  try {
    return JSON.parse(json) as ServerInfo;
  } catch {
    return undefined;
  }
};
