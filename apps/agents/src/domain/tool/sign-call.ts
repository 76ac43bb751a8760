import { createHmac } from 'node:crypto';

/** The exact bytes of a call of a tool, as text, and its headers. */
export type SignedCall = { body: string; headers: Readonly<Record<string, string>> };

/** Seed 4.7: the signature is over the raw body, keyed with the text of the secret. */
export const signCall = (tool: string, args: object, secret: string): SignedCall => {
  const body = JSON.stringify({ tool, arguments: args });
  const signature = createHmac('sha256', secret).update(body, 'utf8').digest('hex');
  return {
    body,
    headers: {
      'Content-Type': 'application/json',
      'X-Service-Tool': tool,
      'X-Service-Signature': `sha256=${signature}`,
      'User-Agent': 'Service-Tools/1.0',
    },
  };
};
