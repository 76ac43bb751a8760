import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export type Files = ReadonlyMap<string, string>;

export const textOf = (files: Files, path: string): string => {
  const text = files.get(path);
  if (text === undefined) throw new Error(`${path} is missing.`);
  return text;
};

export const KIT_README = 'libs/service-kit/README.md';
export const KUBERNETES_GUIDE = 'docs/kubernetes.md';
export const TELEMETRY_GUIDE = 'docs/telemetry.md';
export const readmeOf = (service: string): string => `apps/${service}/README.md`;

export const EDGE_CONFIG = 'apps/api-gateway/src/config.ts';
export const EDGE_TIMEOUTS = 'apps/api-gateway/src/http/route.ts';
export const EDGE_EXPORT = 'apps/api-gateway/src/resources/proofs/export-proofs.ts';

export const PROVIDED = 'deploy/k8s/provided.json';
export const ROOT_PACKAGE = 'package.json';

export const readFiles = (root: string, services: readonly string[]): Files => {
  const manifests = ['deploy/k8s', 'deploy/helm']
    .flatMap((folder) => readdirSync(join(root, folder), { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(root.length).replaceAll('\\', '/'))
    .map((path) => path.replace(/^\/+/, ''));
  const others = [
    ...services.map(readmeOf),
    KIT_README,
    KUBERNETES_GUIDE,
    TELEMETRY_GUIDE,
    EDGE_CONFIG,
    EDGE_TIMEOUTS,
    EDGE_EXPORT,
    ROOT_PACKAGE,
  ];
  return new Map(
    [...manifests, ...others].map((path) => [path, readFileSync(join(root, path), 'utf8')]),
  );
};
