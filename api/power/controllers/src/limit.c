/*
 * Get, Set and Activate Power Limit of DCMI 1.5 (6.6.2 to 6.6.4) for OpenIPMI's ipmi_sim, which knows no DCMI. Ours,
 * for tests. The limit stands in the file that the module's option names: watts, "active" or "inactive", and the
 * exception action; without the file the commands are refused, as by a controller without DCMI. What is more than
 * 1000 W is out of range.
 */
#include <stdio.h>
#include <string.h>
#include <OpenIPMI/serv.h>
#include <OpenIPMI/mcserv.h>

#define DCMI 0xdc
#define GET_POWER_LIMIT 0x03
#define SET_POWER_LIMIT 0x04
#define ACTIVATE_POWER_LIMIT 0x05
#define NOT_ACTIVE 0x80
#define OUT_OF_RANGE 0x84
#define INVALID_COMMAND 0xc1
#define MOST_WATTS 1000

static char file_name[1024];

static unsigned int put(unsigned char *data, unsigned int at, unsigned long value, int bytes)
{
    for (int i = 0; i < bytes; i++)
        data[at + i] = (value >> (8 * i)) & 0xff;
    return at + bytes;
}

static void keep(unsigned int watts, const char *state, unsigned int action)
{
    FILE *file = fopen(file_name, "w");

    if (file) {
        fprintf(file, "%u %s %u\n", watts, state, action);
        fclose(file);
    }
}

static void handle(lmc_data_t *mc, msg_t *msg, unsigned char *rdata, unsigned int *rdata_len, void *cb_data)
{
    unsigned int watts, action, asked, at;
    char state[16] = "";
    FILE *file = fopen(file_name, "r");
    int read = file ? fscanf(file, "%u %15s %u", &watts, state, &action) : 0;

    (void) mc;
    (void) cb_data;
    if (file)
        fclose(file);
    rdata[0] = INVALID_COMMAND;
    *rdata_len = 1;
    if (read != 3)
        return;
    at = put(rdata, put(rdata, 0, 0, 1), DCMI, 1);
    switch (msg->cmd) {
    case GET_POWER_LIMIT:
        rdata[0] = strcmp(state, "active") == 0 ? 0 : NOT_ACTIVE;
        at = put(rdata, at, 0, 2);
        at = put(rdata, at, action, 1);
        at = put(rdata, at, watts, 2);
        at = put(rdata, at, 1000, 4);
        at = put(rdata, at, 0, 2);
        at = put(rdata, at, 1, 2);
        break;
    case SET_POWER_LIMIT:
        if (msg->len < 7)
            return;
        asked = msg->data[5] | msg->data[6] << 8;
        if (asked > MOST_WATTS)
            rdata[0] = OUT_OF_RANGE;
        else
            keep(asked, state, msg->data[4]);
        break;
    case ACTIVATE_POWER_LIMIT:
        if (msg->len < 2)
            return;
        keep(watts, msg->data[1] ? "active" : "inactive", action);
        break;
    default:
        return;
    }
    *rdata_len = at;
}

int ipmi_sim_module_print_version(sys_data_t *sys, char *options)
{
    (void) sys;
    (void) options;
    printf("DCMI power limits, for tests\n");
    return 0;
}

int ipmi_sim_module_init(sys_data_t *sys, char *options)
{
    (void) sys;
    snprintf(file_name, sizeof(file_name), "%s", options ? options : "");
    ipmi_emu_register_group_extension_handler(DCMI, handle, NULL);
    return 0;
}
