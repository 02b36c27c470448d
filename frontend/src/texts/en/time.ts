export const time = {};
