/** Services that run, however they are spread over processes. */
export type RunningSystem = {
  baseUrl: string;
  adminUrls: Readonly<Record<string, string>>;
  /** Changes when a process was restarted. */
  pids: () => Record<string, number>;
  /** Standalone only, for tests of outages: stops one service; the answer starts it again. */
  interrupt?: (service: string) => Promise<() => Promise<void>>;
  stop: () => Promise<void>;
};
