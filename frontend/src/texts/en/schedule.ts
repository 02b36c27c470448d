export const schedule = {};
