import { context, trace } from '@opentelemetry/api';
import { pino } from 'pino';
import type { DestinationStream } from 'pino';

/**
 * Writes log lines as JSON. Log only ids, counts, durations and reasons; never prompts, answers or
 * secrets.
 */
export type Log = {
  debug: (fields: object, message: string) => void;
  info: (fields: object, message: string) => void;
  warn: (fields: object, message: string) => void;
  error: (fields: object, message: string) => void;
};

export const LOG_LEVELS = ['debug', 'info', 'warn', 'error', 'silent'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

export const createLog = (options: {
  service: string;
  level: LogLevel;
  destination?: DestinationStream;
}): Log =>
  pino(
    {
      level: options.level,
      base: { service: options.service },
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      serializers: { err: serializeError },
      mixin: traceFields,
    },
    options.destination ?? (options.level === 'silent' ? DISCARD : openStdout()),
  );

/** Maximum time for which log lines are buffered. They are also flushed at exit. */
export const LOG_FLUSH_MS = 200;
const BUFFER_BYTES = 64 * 1024;
const WRITE_BYTES_MAX = 2 * BUFFER_BYTES;

const traceFields = (): object => {
  const { traceId, spanId } = trace.getSpanContext(context.active()) ?? {};
  return traceId ? { traceId, spanId } : {};
};

/**
 * Used at level `silent`, because a destination on stdout would write to it every `LOG_FLUSH_MS`,
 * even without lines.
 */
const DISCARD: DestinationStream = { write: () => undefined };

/** Opens stdout as the destination of one or several logs. */
export const openStdout = (): ReturnType<typeof pino.destination> =>
  pino.destination({
    dest: 1,
    sync: false,
    minLength: BUFFER_BYTES,
    maxWrite: WRITE_BYTES_MAX,
    periodicFlush: LOG_FLUSH_MS,
  });

const MESSAGE_MAX = 500;
const CAUSES_MAX = 5;

/**
 * Returns type, message, code, stack and causes of an error; of any other value, only the type.
 * Omits other fields and truncates messages, because errors of parsers and databases can quote
 * content.
 */
const serializeError = (error: unknown, depth = 0): object => {
  if (!Error.isError(error)) return { type: typeof error };
  const code = 'code' in error && typeof error.code === 'string' ? { code: error.code } : {};
  const cause =
    error.cause === undefined || depth >= CAUSES_MAX
      ? {}
      : { cause: serializeError(error.cause, depth + 1) };
  const frames = (error.stack ?? '').split('\n').filter((line) => /^\s+at /.test(line));
  const message = error.message.slice(0, MESSAGE_MAX);
  return { type: error.name, message, ...code, stack: frames.join('\n'), ...cause };
};
