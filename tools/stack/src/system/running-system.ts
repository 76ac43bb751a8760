export type RunningSystem = {
  baseUrl: string;
  adminUrls: Readonly<Record<string, string>>;
  pids: () => Record<string, number>;
  /**
   * Stops one service and returns a function that starts it. For tests of outages; exists only if
   * all services run in one process.
   */
  interrupt?: (service: string) => Promise<() => Promise<void>>;
  stop: () => Promise<void>;
};
