import { randomBytes } from 'node:crypto';

export type PostgresContainer = { url: string; stop: () => Promise<void> };

const IMAGE = 'postgres:18';
const PORT = 5432;
const STARTUP_TIMEOUT_MS = 180_000;
const NO_ENGINE_ERROR = /Could not find a working container runtime/;

/**
 * Starts PostgreSQL without durability in a container. Returns undefined if no container engine is
 * running. If this process is killed, Testcontainers removes the container.
 */
export async function openPostgresContainer(): Promise<PostgresContainer | undefined> {
  // Imported only when needed, because loading it takes longer than starting the embedded server.
  const { GenericContainer, Wait } = await import('testcontainers');
  const password = randomBytes(24).toString('base64url');
  const settings = ['fsync=off', 'synchronous_commit=off', 'full_page_writes=off'];
  try {
    const container = await new GenericContainer(IMAGE)
      .withEnvironment({ POSTGRES_PASSWORD: password, POSTGRES_DB: 'witan' })
      .withCommand([
        'postgres',
        ...[...settings, 'max_connections=200'].flatMap((setting) => ['-c', setting]),
      ])
      .withExposedPorts(PORT)
      // Waits for the second such log line: the image logs it at the initialization and again at
      // the final start.
      .withWaitStrategy(Wait.forLogMessage(/ready to accept connections/, 2))
      .withStartupTimeout(STARTUP_TIMEOUT_MS)
      .start();
    const address = `${container.getHost()}:${container.getMappedPort(PORT)}`;
    return {
      url: `postgres://postgres:${password}@${address}/witan`,
      stop: async () => void (await container.stop()),
    };
  } catch (error) {
    if (NO_ENGINE_ERROR.test(String(error))) return undefined;
    throw error;
  }
}
