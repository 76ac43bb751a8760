/** Takes the bundle from the context instead of building it, which needs npm and a registry. */
const BUILD_STAGE = `ARG NODE_IMAGE
FROM \${NODE_IMAGE} AS build
COPY app /app
RUN mkdir -p /run/witan
`;

/**
 * Returns the Dockerfile with another first stage; the last stage, which makes the image, stays as
 * it is. Throws unless the Dockerfile has exactly two stages.
 */
export const replaceBuildStage = (dockerfile: string): string => {
  const stages = dockerfile.split(/^(?=FROM )/m).filter((part) => part.startsWith('FROM '));
  if (stages.length !== 2) throw new Error(`The Dockerfile has ${stages.length} stages, not 2.`);
  return BUILD_STAGE + stages[1]!;
};
