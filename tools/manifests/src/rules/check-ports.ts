import { isObject, listAt, objectAt, titleOf, toText } from '../manifest.ts';
import { findPort, manifestsOfKind, selects } from '../rendered.ts';
import type { Rendered, Workload } from '../rendered.ts';

/**
 * Checks that Services, probes and configured addresses refer to existing ports, and that no
 * workload has a port twice.
 */
export const checkPorts = (rendered: Rendered): string[] => [
  ...checkServices(rendered),
  ...rendered.workloads.flatMap(checkNames),
  ...rendered.workloads.flatMap(checkProbes),
  ...rendered.workloads.flatMap((workload) => checkAddresses(rendered, workload)),
];

const checkServices = (rendered: Rendered): string[] =>
  manifestsOfKind(rendered, 'Service').flatMap((service) => {
    const matchLabels = objectAt(service, 'spec', 'selector');
    const targets = rendered.workloads.filter(({ labels }) => selects({ matchLabels }, labels));
    return listAt(service, 'spec', 'ports').flatMap((port) => {
      const wanted = port.targetPort ?? port.port;
      return targets
        .filter((workload) => findPort(workload, wanted) === undefined)
        .map(({ title }) => `${titleOf(service)} asks for port ${toText(wanted)} of ${title}.`);
    });
  });

const checkNames = ({ title, containers }: Workload): string[] => {
  const ports = containers.flatMap((container) => listAt(container, 'ports'));
  const seen = new Set<unknown>();
  return ports
    .flatMap(({ name, containerPort }) => [name, containerPort])
    .filter((one) => seen.size === seen.add(one).size)
    .map((one) => `${title} has the port ${toText(one)} twice.`);
};

export const PROBES = ['startupProbe', 'readinessProbe', 'livenessProbe'];

const checkProbes = (workload: Workload): string[] =>
  workload.containers.flatMap((container) =>
    PROBES.flatMap((probe) => {
      const { httpGet, grpc, tcpSocket } = objectAt(container, probe);
      const requested = [httpGet, grpc, tcpSocket].filter((one) => isObject(one));
      return requested
        .filter(({ port }) => findPort(workload, port) === undefined)
        .map(({ port }) => `${workload.title} has a ${probe} on port ${toText(port)}, not there.`);
    }),
  );

const ADDRESS = /^dns:\/\/\/(?<name>[^:]+):(?<port>\d+)$/;

const checkAddresses = (rendered: Rendered, { title, containers }: Workload): string[] =>
  containers
    .flatMap((container) => listAt(container, 'env'))
    .filter(({ name }) => toText(name).endsWith('_ADDRESS'))
    .filter(({ value }) => !isServed(rendered, toText(value)))
    .map(
      ({ name, value }) =>
        `${title}: ${toText(name)} is ${toText(value)}, which no Service serves.`,
    );

/**
 * Returns true if a headless Service has this address. It must be headless, because callers balance
 * load themselves.
 */
const isServed = (rendered: Rendered, address: string): boolean => {
  const { name, port } = ADDRESS.exec(address)?.groups ?? {};
  return manifestsOfKind(rendered, 'Service').some(
    (service) =>
      service.metadata.name === name &&
      objectAt(service, 'spec').clusterIP === 'None' &&
      listAt(service, 'spec', 'ports').some((one) => one.port === Number(port)),
  );
};
