// Jest transformer: Node's own type stripping, so that tests run what services run.
const { stripTypeScriptTypes } = require('node:module');
const { createHash } = require('node:crypto');

module.exports = {
  canInstrument: false,
  getCacheKey: (source, path, { configString }) =>
    createHash('sha1')
      .update([source, path, configString, process.version].join('\0'))
      .digest('hex'),
  process: (source) => ({ code: stripTypeScriptTypes(source, { mode: 'strip' }) }),
};
