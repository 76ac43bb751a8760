import { createHmac } from 'node:crypto';

/** The exact body of a tool call, with its headers. */
export type SignedCall = { body: string; headers: Readonly<Record<string, string>> };

/** Signs the raw body with HMAC, keyed with the secret's text. */
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
