import { createHmac } from 'node:crypto';

export type SignedCall = { body: string; headers: Readonly<Record<string, string>> };

/**
 * Returns the body of a tool call and its headers with an HMAC-SHA256 signature of the body, whose
 * key is the secret's text.
 */
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
