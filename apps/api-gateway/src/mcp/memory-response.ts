import { EventEmitter } from 'node:events';
import type { Response } from 'express';

type StoredReply = { status: number; headers: Readonly<Record<string, string>>; body: string };

/**
 * A response that keeps what a route's handler writes, for a call that another route makes. It has
 * the members of Express that handlers, `sendReply`, `sendError` and `bufferResponse` use.
 */
export class MemoryResponse extends EventEmitter {
  readonly locals: Record<string, unknown> = {};
  readonly socket = null;
  statusCode = 200;
  headersSent = false;
  closed = false;
  readonly #headers = new Map<string, string>();
  readonly #chunks: Buffer[] = [];

  /** Returns this object with the type that handlers expect. */
  asResponse(): Response {
    return this as unknown as Response;
  }

  status(code: number): this {
    this.statusCode = code;
    return this;
  }

  type(_json: 'json'): this {
    return this.setHeader('content-type', 'application/json');
  }

  json(value: unknown): this {
    return this.end(JSON.stringify(value));
  }

  setHeader(name: string, value: unknown): this {
    this.#headers.set(name.toLowerCase(), String(value));
    return this;
  }

  getHeaders(): Record<string, string> {
    return Object.fromEntries(this.#headers);
  }

  getHeaderNames(): string[] {
    return [...this.#headers.keys()];
  }

  hasHeader(name: string): boolean {
    return this.#headers.has(name.toLowerCase());
  }

  removeHeader(name: string): void {
    this.#headers.delete(name.toLowerCase());
  }

  write(chunk: string | Uint8Array): boolean {
    this.headersSent = true;
    this.#chunks.push(Buffer.from(chunk as string));
    return true;
  }

  end(chunk?: string | Uint8Array): this {
    this.headersSent = true;
    if (chunk !== undefined) this.write(chunk);
    return this;
  }

  /** Returns what was written; complete once the handler has returned. */
  read(): StoredReply {
    const body = Buffer.concat(this.#chunks).toString('utf8');
    return { status: this.statusCode, headers: this.getHeaders(), body };
  }

  /** Emits `close`, as the end of a connection does, so that permits of streams are released. */
  close(): void {
    this.closed = true;
    this.emit('close');
  }
}
