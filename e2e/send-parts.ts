import type { Script } from '@witan/testing';

/** Returns a script that sends the response in separate writes, one for each part. */
export const sendParts =
  (contentType: string, parts: readonly Uint8Array[]): Script =>
  async ({ response }) => {
    response.writeHead(200, { 'content-type': contentType });
    for (const part of parts) {
      await new Promise<void>((resolve) => void response.write(part, () => resolve()));
      await new Promise((resolve) => void setImmediate(resolve));
    }
    response.end();
  };
