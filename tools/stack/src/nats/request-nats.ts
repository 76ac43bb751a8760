import { connect } from 'node:net';

const ANSWER_TIMEOUT_MS = 5_000;

/**
 * Sends one request and returns the reply, without a client library whose reconnects and retries
 * would hide errors in tests. Throws the server's `-ERR` text, or an error if there is no reply.
 */
export const requestNats = async (
  url: string,
  { subject, payload = '' }: { subject: string; payload?: string },
): Promise<string> => {
  const { hostname, port, username, password } = new URL(url);
  const account = {
    ...(username ? { user: username, pass: decodeURIComponent(password) } : {}),
    verbose: false,
    pedantic: false,
    // nats-server accepts `no_responders` only together with `headers`.
    headers: true,
    no_responders: true,
  };
  const signal = AbortSignal.timeout(ANSWER_TIMEOUT_MS);
  const socket = connect({ host: hostname, port: Number(port), signal });
  socket.write(
    `CONNECT ${JSON.stringify(account)}\r\nSUB reply 1\r\n` +
      `PUB ${subject} reply ${Buffer.byteLength(payload)}\r\n${payload}\r\n`,
  );
  let text = '';
  for await (const chunk of socket) {
    text += String(chunk);
    const refusal = /^-ERR '(.*)'\r$/m.exec(text)?.[1];
    if (refusal !== undefined) throw new Error(refusal);
    const reply = findReply(text);
    if (reply !== undefined) return reply;
  }
  throw new Error('The server closed the connection without a reply.');
};

const findReply = (text: string): string | undefined => {
  const head = /^MSG reply 1 +(\d+)\r\n/m.exec(text);
  if (!head) {
    if (/^HMSG reply 1 /m.test(text)) throw new Error('No Responders');
    return undefined;
  }
  const start = head.index + head[0].length;
  const end = start + Number(head[1]);
  return text.length >= end ? text.slice(start, end) : undefined;
};
