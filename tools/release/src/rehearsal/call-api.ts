export type Api = {
  /**
   * Calls `METHOD /path` and returns JSON and headers of a 2xx response. Throws ApiError for other
   * statuses.
   */
  call: <T>(
    operation: string,
    body?: unknown,
    headers?: Record<string, string>,
  ) => Promise<ApiResult<T>>;
};

export type ApiResult<T> = { json: T; headers: Headers };

export class ApiError extends Error {
  readonly status: number;

  constructor(operation: string, status: number, text: string) {
    super(`${operation}: ${status} ${text.slice(0, TEXT_MAX)}`);
    this.name = 'ApiFault';
    this.status = status;
  }
}

const TEXT_MAX = 300;
const TIMEOUT_MS = 60_000;

export const createApi = (baseUrl: string, apiKey: string): Api => ({
  call: async (operation, body, headers = {}) => {
    const [method = 'GET', path = ''] = operation.split(' ');
    const isBytes = body instanceof Uint8Array;
    const response = await fetch(`${baseUrl}${path}`, {
      method,
      headers: { 'x-api-key': apiKey, 'content-type': 'application/json', ...headers },
      ...(body === undefined ? {} : { body: isBytes ? body : JSON.stringify(body) }),
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    const text = await response.text();
    if (!response.ok) throw new ApiError(operation, response.status, text);
    return { json: text === '' ? undefined : JSON.parse(text), headers: response.headers };
  },
});
