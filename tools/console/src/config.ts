/**
 * Makes this process build for production whatever NODE_ENV says: Jest sets it to `test`, for which
 * the bundler would choose the development build of React.
 */
export const setProduction = (): void => {
  process.env.NODE_ENV = 'production';
};
