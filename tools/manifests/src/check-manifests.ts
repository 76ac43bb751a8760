import { callGraph } from '@witan/contracts/call-graph';
import { ROOT_PACKAGE, textOf } from './files.ts';
import type { Files } from './files.ts';
import { compose } from './kustomize/compose.ts';
import { toRendered } from './rendered.ts';
import type { Rendered } from './rendered.ts';
import { checkCpu } from './rules/check-cpu.ts';
import { checkEnvironment } from './rules/check-environment.ts';
import type { Readers } from './rules/check-environment.ts';
import { checkImages } from './rules/check-images.ts';
import { checkMonitors } from './rules/check-monitors.ts';
import { checkNetwork } from './rules/check-network.ts';
import { checkPods } from './rules/check-pods.ts';
import { checkPorts } from './rules/check-ports.ts';
import { checkProvided, readProvided } from './rules/check-provided.ts';
import { checkReferences } from './rules/check-references.ts';
import { checkSchema } from './rules/check-schema.ts';
import { checkSelectors } from './rules/check-selectors.ts';
import { checkServices } from './rules/check-services.ts';
import { checkShutdown } from './rules/check-shutdown.ts';

const FOLDER = 'deploy/k8s';

/**
 * Path of an overlay that exists only in memory: production with the components `keda`,
 * `monitoring`, `telemetry` and `transparency-log`.
 */
export const PROD_WITH_ALL = `${FOLDER}/overlays/prod-with-all`;
export const ALL_KUSTOMIZATION = `
apiVersion: kustomize.config.k8s.io/v1beta1
kind: Kustomization
namespace: witan
resources: [../prod]
components:
  - ../../components/keda
  - ../../components/monitoring
  - ../../components/telemetry
  - ../../components/transparency-log
`;

export const overlaysOf = (files: Files): { files: Files; folders: string[] } => {
  const all = new Map([...files, [`${PROD_WITH_ALL}/kustomization.yaml`, ALL_KUSTOMIZATION]]);
  const folders = [...all.keys()]
    .map((path) => /^deploy\/k8s\/overlays\/[^/]+(?=\/kustomization\.yaml$)/.exec(path)?.[0])
    .filter((folder) => folder !== undefined);
  return { files: all, folders };
};

export const checkManifests = (given: Files, readers: Readers): string[] => {
  const { files, folders } = overlaysOf(given);
  const overlays: Rendered[] = [];
  const findings: string[] = [];
  for (const folder of folders) {
    const overlay = folder.slice(`${FOLDER}/overlays/`.length);
    try {
      const rendered = toRendered(overlay, compose(files, folder));
      overlays.push(rendered);
      findings.push(...checkOverlay(rendered, files, readers));
    } catch (error) {
      if (!Error.isError(error)) throw error;
      findings.push(`${overlay}: cannot be composed. ${error.message}`);
    }
  }
  return [...findings, ...checkProvided(overlays, files)];
};

export const checkOverlay = (rendered: Rendered, files: Files, readers: Readers): string[] => {
  const services = Object.keys(readers);
  const { version } = JSON.parse(textOf(files, ROOT_PACKAGE)) as { version: string };
  const found = [
    ...checkSchema(rendered),
    ...checkServices(rendered, services),
    ...checkSelectors(rendered),
    ...checkPorts(rendered),
    ...checkReferences(rendered, readProvided(files)),
    ...checkEnvironment(rendered, { readers, files }),
    ...checkNetwork(rendered, callGraph),
    ...checkMonitors(rendered, services),
    ...checkPods(rendered, services),
    ...checkCpu(rendered),
    ...checkShutdown(rendered, { readers, files }),
    ...checkImages(rendered, version),
  ];
  return found.map((finding) => `${rendered.overlay}: ${finding}`);
};
