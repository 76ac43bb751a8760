/** A response that is no success, with what the API says about it. */
export class ApiError extends Error {
  readonly status: number;
  readonly code: string;
  readonly param: string | undefined;
  readonly details: readonly { path: string; message: string }[];
  readonly requestId: string | undefined;

  constructor(status: number, body: unknown) {
    const { message, code, type, param, details, requestId } = readError(body);
    super(message ?? `The server answered with status ${status}.`);
    this.name = 'ApiError';
    this.status = status;
    this.code = code ?? type ?? 'unknown';
    this.param = param ?? undefined;
    this.details = details ?? [];
    this.requestId = requestId;
  }
}

type ErrorMembers = {
  message?: string;
  code?: string | null;
  type?: string;
  param?: string | null;
  details?: { path: string; message: string }[];
  requestId?: string;
};

const readError = (body: unknown): ErrorMembers => {
  if (typeof body !== 'object' || body === null || !('error' in body)) return {};
  const { error } = body;
  return typeof error === 'object' && error !== null ? error : {};
};

export const isStatus = (error: unknown, status: number): boolean =>
  error instanceof ApiError && error.status === status;

/** Returns a sentence for the user: what failed, and what to do about it. */
export const describeError = (error: unknown): string => {
  if (error instanceof ApiError) {
    const [first] = error.details;
    if (first) return `${first.path}: ${first.message}`;
    if (error.status === 403 && error.param) {
      return `Your key lacks the scope “${error.param}”. Sign in with a key that has it.`;
    }
    if (error.status === 429) return `${error.message} Wait a moment, then try again.`;
    return error.message;
  }
  if (error instanceof DOMException && error.name === 'TimeoutError') {
    return 'The server did not answer in time. Try again.';
  }
  if (error instanceof TypeError) {
    return 'The server cannot be reached. Check that it runs, then try again.';
  }
  return error instanceof Error ? error.message : String(error);
};
