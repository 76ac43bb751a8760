import type { Script } from '@witan/testing';

/** A provider's answer that is sent in `parts`, so that each can be read by itself. */
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
