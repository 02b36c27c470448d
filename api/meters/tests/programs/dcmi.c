/*
 * Get Power Reading of DCMI 1.5 (6.6.1) for OpenIPMI's ipmi_sim, which knows no DCMI. Ours, for tests.
 * What is read stands in the file that the module's option names: the current power in watts, and
 * "active" or "inactive"; without the file the command is refused, as by a controller without DCMI.
 */
#include <stdio.h>
#include <string.h>
#include <OpenIPMI/serv.h>
#include <OpenIPMI/mcserv.h>

#define DCMI 0xdc
#define GET_POWER_READING 0x02
#define INVALID_COMMAND 0xc1

static char file_name[1024];

static unsigned int put(unsigned char *data, unsigned int at, unsigned long value, int bytes)
{
    for (int i = 0; i < bytes; i++)
        data[at + i] = (value >> (8 * i)) & 0xff;
    return at + bytes;
}

static void handle(lmc_data_t *mc, msg_t *msg, unsigned char *rdata, unsigned int *rdata_len, void *cb_data)
{
    unsigned int watts, at = 0;
    char state[16] = "";
    FILE *file = msg->cmd == GET_POWER_READING ? fopen(file_name, "r") : NULL;
    int read = file ? fscanf(file, "%u %15s", &watts, state) : 0;

    (void) mc;
    (void) cb_data;
    if (file)
        fclose(file);
    if (read != 2) {
        rdata[0] = INVALID_COMMAND;
        *rdata_len = 1;
        return;
    }
    at = put(rdata, at, 0, 1);
    at = put(rdata, at, DCMI, 1);
    at = put(rdata, at, watts, 2);
    at = put(rdata, at, watts / 2, 2);
    at = put(rdata, at, watts * 2, 2);
    at = put(rdata, at, watts, 2);
    at = put(rdata, at, 1767225600, 4);
    at = put(rdata, at, 1000, 4);
    at = put(rdata, at, strcmp(state, "active") == 0 ? 0x40 : 0, 1);
    *rdata_len = at;
}

int ipmi_sim_module_print_version(sys_data_t *sys, char *options)
{
    (void) sys;
    (void) options;
    printf("DCMI power readings, for tests\n");
    return 0;
}

int ipmi_sim_module_init(sys_data_t *sys, char *options)
{
    (void) sys;
    snprintf(file_name, sizeof(file_name), "%s", options ? options : "");
    ipmi_emu_register_group_extension_handler(DCMI, handle, NULL);
    return 0;
}
