export const simulate = {};
